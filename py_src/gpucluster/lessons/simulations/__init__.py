"""What lessons simulate. What one lesson alone simulates is in its folder, and keeps its name here."""

from ..moved import keep_names

_OF_LESSONS = {
    "capture": "course.lesson_13_where_did_the_time_go.tools",
    "controlloop": "course.lesson_14_onto_the_machine.material",
    "devicearrays": "course.lesson_11_gpu_memory.simulations",
    "fallback": "course.lesson_15_capstone.simulations",
    "inferenceserver": "course.lesson_15_capstone.simulations",
    "kitchen": "course.lesson_03_the_kitchen.simulations",
    "pool": "course.lesson_11_gpu_memory.simulations",
    "ring": "course.lesson_10_training.tools",
    "spilling": "course.lesson_11_gpu_memory.simulations",
    "stages": "course.lesson_10_training.tools",
    "staging": "course.lesson_12_moving_bytes.tools",
    "traces": "course.lesson_13_where_did_the_time_go.tools",
    "warps": "course.lesson_11_gpu_memory.simulations",
}
keep_names(__name__, _OF_LESSONS)

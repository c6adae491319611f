"""What lessons work on. What one lesson alone works on is in its folder, and keeps its name here."""

from ..moved import keep_names

_OF_LESSONS = {
    "batchscripts": "course.lesson_14_onto_the_machine.material",
    "benchmarklogs": "course.lesson_10_training.tools",
    "boosting": "course.lesson_15_capstone.material",
    "daskcuda": "course.lesson_11_gpu_memory.options",
    "flightfiles": "course.lesson_05_flights.tools",
    "installations": "course.lesson_14_onto_the_machine.material",
    "jobqueue": "course.lesson_14_onto_the_machine.material",
    "links": "course.lesson_12_moving_bytes.tools",
    "modelprogram": "course.lesson_15_capstone.material",
    "modelrepository": "course.lesson_15_capstone.material",
}
keep_names(__name__, _OF_LESSONS)

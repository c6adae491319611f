"""What lessons measure with. What one lesson alone measures with is in its folder, and keeps its name here."""

from ..moved import keep_names

_OF_LESSONS = {
    "batchsystem": "course.lesson_14_onto_the_machine.probes",
    "byhand": "course.lesson_14_onto_the_machine.probes",
    "capped": "course.lesson_01_do_you_need_a_cluster.probes",
    "collecting": "course.lesson_05_flights.tools",
    "coroutines": "course.lesson_09_mpi_and_dask.probes",
    "counting": "course.lesson_02_lazy_on_purpose.probes",
    "dashboard": "course.lesson_00_check_in.probes",
    "devicelog": "course.lesson_13_where_did_the_time_go.tools",
    "devicepools": "course.lesson_11_gpu_memory.probes",
    "dryrun": "course.lesson_14_onto_the_machine.probes",
    "forwarding": "course.lesson_14_onto_the_machine.probes",
    "frameworks": "course.lesson_14_onto_the_machine.probes",
    "hostspilling": "course.lesson_11_gpu_memory.probes",
    "kmeans": "course.lesson_09_mpi_and_dask.probes",
    "links": "course.lesson_12_moving_bytes.tools",
    "messages": "course.lesson_08_six_steps.probes",
    "processes": "course.lesson_00_check_in.probes",
    "references": "course.lesson_11_gpu_memory.probes",
    "roof": "course.lesson_13_where_did_the_time_go.tools",
    "shuffles": "course.lesson_05_flights.tools",
    "software": "course.lesson_14_onto_the_machine.probes",
    "stages": "course.lesson_13_where_did_the_time_go.tools",
    "viewpoints": "course.lesson_11_gpu_memory.probes",
}
keep_names(__name__, _OF_LESSONS)

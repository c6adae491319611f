"""What pictures of lessons are drawn with. Those of a lesson are in its folder, and imported as ``figures.kmeans``."""

from ..moved import keep_names

_OF_LESSONS = {
    "explorer": "figures.timelines",
    "checkin": "course.lesson_00_check_in.figures",
    "sizing": "course.lesson_01_do_you_need_a_cluster.figures",
    "lazy": "course.lesson_02_lazy_on_purpose.figures",
    "kitchen": "course.lesson_03_the_kitchen.figures",
    "messages": "course.lesson_03_the_kitchen.figures",
    "recovery": "course.lesson_04_break_it.figures",
    "flights": "course.lesson_05_flights.figures",
    "shuffle": "course.lesson_05_flights.figures_shuffle",
    "kmeans": "course.lesson_06_kmeans.figures",
    "pca": "course.lesson_07_pca.figures",
    "workflow": "course.lesson_08_six_steps.figures",
    "mpi": "course.lesson_09_mpi_and_dask.figures",
    "networks": "course.lesson_10_training.figures",
    "pipelines": "course.lesson_10_training.figures",
    "gpumemory": "course.lesson_11_gpu_memory.figures",
    "links": "course.lesson_12_moving_bytes.figures",
    "staging": "course.lesson_12_moving_bytes.figures",
    "counters": "course.lesson_13_where_did_the_time_go.figures",
    "roofline": "course.lesson_13_where_did_the_time_go.figures",
    "site": "course.lesson_14_onto_the_machine.figures",
    "capstone": "course.lesson_15_capstone.figures",
    "review": "course.lesson_16_review_studio.figures",
}
keep_names(__name__, _OF_LESSONS)

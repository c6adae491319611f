"""Situations that lessons stage: a kitchen with too few knives, a cluster that crashes, ranks under MPI."""

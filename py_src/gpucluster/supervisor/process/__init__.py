"""The process of a cluster: how it starts fast, where its workers are forked, and what ends with it."""

"""What lessons measure with: cores, memory, bytes that move, processes, messages between workers."""

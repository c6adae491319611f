"""What two runs of a benchmark printed, as a tutorial of 2022 shows them: nobody here has run them.

Source: D. K. Panda et al., tutorial at the MVAPICH User Group Meeting (MUG) 2022: ``pytorch_synthetic_benchmark.py
--batch-size 64 --num-iters=5``, ResNet-50 on V100 cards; the second with MVAPICH2-GDR on two nodes with one card each.
"""

from __future__ import annotations

ONE_CARD = """Model: resnet50
Batch size: 64
Number of GPUs: 1
Running warmup...
Running benchmark...
Iter #0: 333.9 img/sec per GPU
Iter #1: 334.2 img/sec per GPU
Iter #2: 333.9 img/sec per GPU
Iter #3: 333.8 img/sec per GPU
Iter #4: 333.9 img/sec per GPU
Img/sec per GPU: 334.0 +-0.2
Total img/sec on 1 GPU(s): 334.0 +-0.2
"""

TWO_NODES = """Model: resnet50
Batch size: 64
Number of GPUs: 2
Running warmup...
Running benchmark...
Iter #0: 317.0 img/sec per GPU
Iter #1: 314.9 img/sec per GPU
Iter #2: 315.4 img/sec per GPU
Iter #3: 318.0 img/sec per GPU
Iter #4: 316.7 img/sec per GPU
Img/sec per GPU: 316.4 +-2.2
Total img/sec on 2 GPU(s): 632.8 +-4
"""

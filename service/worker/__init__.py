"""The process that reads documents from the log, keeps the models in memory and writes what they say."""

import os

# One stream is one core's work, and arrays here are small: threads of BLAS would only wait for each other.
# numpy reads this when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# src/ktlb_gather.c: a range is not rounded up to its last leaf
# unit: gather
s/(start + (size - 1)) | mask;/(start + (size - 1));/

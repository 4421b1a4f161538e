"""Name the types of arrays and matrices that modules share, without loading the compiler."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

U8: TypeAlias = NDArray[np.uint8]
U32: TypeAlias = NDArray[np.uint32]
U64: TypeAlias = NDArray[np.uint64]
I32: TypeAlias = NDArray[np.int32]
I64: TypeAlias = NDArray[np.int64]
F32: TypeAlias = NDArray[np.float32]
F64: TypeAlias = NDArray[np.float64]
BOOL: TypeAlias = NDArray[np.bool_]
Sparse: TypeAlias = Any  # a CSR matrix of SciPy, which has no types
Tensor: TypeAlias = Any  # of PyTorch, likewise

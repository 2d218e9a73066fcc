"""What a tape recorded of a computation, as plain data: ``running`` is where to start reading.

``recorder`` listens to the operations, for this room and for ``explaining``, and ``conversions``
to what leaves TensorFlow; ``places`` knows the
user's lines from those of tools, ``tensors`` what a variable is, and ``tensorflow_internals`` what
TensorFlow does not promise. On these stands ``record_tape``, which runs a function once:
``sources`` names what goes in, ``building`` folds the plumbing away and asks the tape for the
gradients, ``labels`` finds plain words, and ``records`` is what comes out.
"""

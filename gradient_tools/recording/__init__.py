"""What a tape recorded of a computation, as plain data. Start reading at ``running``.

``recorder`` listens to the operations, for this package and for ``explaining``. ``conversions``
listens to tensors that become plain numbers. ``places`` tells the user's lines from those of tools,
``tensors`` tells what a variable is, and ``tensorflow_internals`` holds what TensorFlow does not
promise. ``record_tape`` uses them to run a function once. There, ``ends`` names the sources and
targets, ``building`` removes bookkeeping operations and computes the gradients, ``labels`` finds
plain words, and ``records`` holds the result.
"""

"""The few parts of TensorFlow that these tools use although TensorFlow does not promise them.

Whatever may change between versions of TensorFlow is only in this module.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import FrameType
from typing import Any

__all__ = [
    "called_graph",
    "differentiable_inputs",
    "eager_tensor_class",
    "gradients_of_operation",
    "inner_graphs",
    "is_of_gradient",
    "layers_in",
    "lines_of_message",
    "moment",
    "moment_of",
    "listen_to_operations",
    "role_of_file",
    "run_operation",
    "variables_given",
]


@contextmanager
def listen_to_operations(listener: Callable[..., Any]) -> Iterator[None]:
    """Call ``listener`` after each operation that this thread runs, or adds to a graph.

    The call is ``listener(op_type, inputs, attributes, outputs, op_name, graph)``. ``graph`` is
    None for an operation that ran eagerly.
    """
    from tensorflow.python.framework import op_callbacks

    def forward(
        op_type: Any, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> Any:
        name = op_type.decode() if isinstance(op_type, bytes) else op_type  # some are bytes
        listener(name, inputs, attrs, outputs, op_name, graph)
        return outputs  # TensorFlow hands the next listener what this one returns.

    op_callbacks.add_op_callback(forward)
    try:
        yield
    finally:
        op_callbacks.remove_op_callback(forward)


@lru_cache(maxsize=1)
def eager_tensor_class() -> Any:
    """Return the class of eager tensors whose method ``_numpy`` every conversion goes through."""
    from tensorflow.python.framework import ops

    return ops._EagerTensorBase


def moment() -> int:
    """Return a number between those of the tensors made before and those made from now on."""
    from tensorflow.python.framework import ops

    return int(ops.uid())


def moment_of(value: Any) -> int | None:
    """Return the number of a tensor, or of a variable's handle: later ones are larger."""
    number = getattr(getattr(value, "handle", value), "_id", None)
    return number if isinstance(number, int) else None


# What TensorFlow puts around a message: the trace of a graph's node, and internal names.
_AROUND_A_MESSAGE = re.compile(
    r"^Graph execution error:\n+(?:(?:Detected at node|  File|<stack traces).*\n+)*"
    r"|\{\{.*?\}\} ?| ?\[Op:\w+\].*"
)


def lines_of_message(error: BaseException) -> list[str]:
    """Return what an error says, without what TensorFlow puts around it."""
    text = _AROUND_A_MESSAGE.sub("", str(error))
    return [line.strip() for line in text.splitlines() if line.strip()] or [""]


@lru_cache(maxsize=4096)
def role_of_file(file: str) -> str:
    """Tell what TensorFlow does in one of its source files, for reading a call stack.

    It is "gradient", "custom gradient", "function" for the call of a ``tf.function``, or "".
    """
    ends = {
        "eager/backprop.py": "gradient",
        "ops/custom_gradient.py": "custom gradient",
        "polymorphic_function/atomic_function.py": "function",
    }
    path = file.replace("\\", "/")
    return next((role for end, role in ends.items() if path.endswith(end)), "")


def called_graph(frame: FrameType) -> Any:
    """Return the graph of the ``tf.function`` that is being called in ``frame``, or None."""
    return getattr(frame.f_locals.get("self"), "graph", None)


def variables_given(frame: FrameType, inputs: tuple[Any, ...]) -> dict[int, Any]:
    """Return the handles of the variables that the function of an operation was given itself.

    Such a function, as that of ``tf.nn.relu(w)``, reads a variable in C++ and reports only its own
    operation. Its parameters have the order of the operation's inputs, a list for several. The
    handles stand under the ids of the inputs.
    """
    parameters = frame.f_code.co_varnames[: frame.f_code.co_argcount]
    given: list[Any] = []
    for value in map(frame.f_locals.get, parameters):
        given += value if isinstance(value, (list, tuple)) else [value]
    pairs = zip(given, inputs, strict=False)
    return {id(tensor): each.handle for each, tensor in pairs if hasattr(each, "handle")}


def inner_graphs(operation: Any) -> dict[str, Any]:
    """Return the graphs that a graph's operation runs, such as the branches of an ``If``.

    Their names are those of the attributes: ``then_branch``, ``else_branch``, ``cond``, ``body`` or
    ``f``.
    """
    found = {}
    for name, value in operation.node_def.attr.items():
        if value.HasField("func"):
            graph = operation.graph
            while graph is not None:
                function = graph._get_function(value.func.name)
                if function is not None:
                    found[name] = function.graph
                    break
                graph = getattr(graph, "outer_graph", None)
    return found


def layers_in(value: Any) -> list[Any]:
    """Return a Keras layer with all that are in it, in any depth; else the value alone."""
    import keras

    return list(value._flatten_layers()) if isinstance(value, keras.layers.Layer) else [value]


def is_of_gradient(operation: Any) -> bool:
    """Tell by its name whether an operation of a graph was added to compute a gradient."""
    return any(scope in operation.name for scope in ("gradient_tape/", "gradients/"))


def gradients_of_operation(
    op_type: str, attributes: Any, inputs: Any, outputs: Any, output_gradients: list[Any]
) -> list[Any]:
    """Run the gradient function that TensorFlow registered for an operation that ran eagerly.

    Returns one gradient or None for each input: exactly what a tape would pass on.
    """
    import tensorflow as tf
    from tensorflow.python.eager import backprop

    gradients = backprop._gradient_function(
        op_type, attributes, len(inputs), inputs, outputs, output_gradients, (), ""
    )
    return list(tf.nest.flatten(gradients))


def differentiable_inputs(operation: Any) -> list[bool]:
    """Tell which inputs of a graph's operation receive a gradient, without touching the graph."""
    import tensorflow as tf
    from tensorflow.python.framework import ops

    gradient_function = ops.get_gradient_function(operation)
    if gradient_function is None:
        return [False] * len(operation.inputs)
    with tf.__internal__.FuncGraph("which_inputs_get_a_gradient").as_default():
        arriving = [
            tf.compat.v1.placeholder(output.dtype, output.shape) for output in operation.outputs
        ]
        gradients = gradient_function(operation, *arriving)
    return [gradient is not None for gradient in tf.nest.flatten(gradients)]


def run_operation(operation: Any, inputs: list[Any]) -> tuple[list[Any], tuple[Any, ...]]:
    """Run one operation of a graph eagerly; return its outputs, and its attributes as run."""
    from tensorflow.core.framework import tensor_shape_pb2
    from tensorflow.python.eager import context, execute

    def as_run(value: Any) -> Any:
        if isinstance(value, tensor_shape_pb2.TensorShapeProto):
            return None if value.unknown_rank else [dim.size for dim in value.dim]
        return list(map(as_run, value)) if isinstance(value, list) else value

    attributes: tuple[Any, ...] = ()
    for name in operation.node_def.attr:
        if not name.startswith("_"):
            attributes += (name, as_run(operation.get_attr(name)))
    count = len(operation.outputs)
    outputs = execute.quick_execute(operation.type, count, inputs, attributes, context.context())
    return list(outputs or ()), attributes

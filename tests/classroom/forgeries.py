"""Notebooks that want points without an answer. None of them holds a right one.

Each is a cell that runs before everything else, or a set of answers, or both.
"""

from dataclasses import dataclass, field

from handed_in import notebook

# What a forger sends in the grader's own words, if a way to send it is found.
_WORDS = """
import json, os, struct
def framed(message):
    data = json.dumps(message).encode()
    return struct.pack("!Q", len(data)) + data
forged = {"observed": "01.1", "observation": {"outcome": "passed", "score": 1.0, "calls": [],
          "untouched": False, "printed": ""}}
"""

# Looks for what the right programs did, where it is stored, and in memory.
_THIEF = """
import gc
from course_utils.exercises import references
def stolen(exercise_id):
    for seed in range(references.SEEDS):
        try:
            return references.stored_reference(exercise_id, seed).right
        except OSError:
            continue
    for thing in gc.get_objects():
        if isinstance(thing, references.Reference):
            return thing.right
"""


@dataclass
class Forgery:
    """A cell before everything, answers, cells after; and the outcomes that are right for it."""

    before: str = ""
    answers: dict = field(default_factory=dict)
    after: str = ""
    outcomes: set = field(default_factory=lambda: {"not attempted"})
    lesson: str = "01"

    def notebook(self):
        return notebook(self.lesson, self.answers, [self.before], [self.after])


_WRONG = {"01.1": "def slope(x):\n    return 0.0", "01.2": "gradient_shape = (7, 7)"}

FORGERIES = {
    "replaces check": Forgery(
        "import course_utils\n"
        "class Passed:\n    passed, outcome, score = True, 'passed', 1.0\n"
        "course_utils.check = lambda *a, **k: Passed()",
        after="check = course_utils.check\ncheck('01.1', slope)",
    ),
    "replaces observe": Forgery(
        "from course_utils.exercises import question\n"
        "for c in (question.Question, question.ValueQuestion):\n"
        "    c.observe = lambda self, answer, seed: {'outcome': 'passed', 'score': 1.0}",
        outcomes={"error"},
    ),
    "returns an observation of no calls": Forgery(
        "from course_utils.exercises import question\n"
        "question.Question.observe = lambda self, answer, seed: "
        "{'calls': [], 'printed': '', 'untouched': False}\n"
        "question.ValueQuestion.observe = lambda self, answer, seed: {'value': []}",
        outcomes={"error", "failed"},
    ),
    "makes every judge say yes": Forgery(
        "from course_utils.exercises import comparing, exercise, judging, values\n"
        "yes = exercise.Judgement('passed', 'forged', 1.0)\n"
        "for m in (comparing, values):\n"
        "    m.judged = m.Judgement = lambda *a, **k: yes\n"
        "judging.assess = lambda *a: yes",
        _WRONG,
        outcomes={"failed", "not attempted"},
    ),
    "steals the reference from memory": Forgery(
        _THIEF,
        {"01.3": "def loss_gradients(params, x, y):\n    return stolen('01.3')[0][0]"},
        outcomes={"failed", "not attempted", "error"},
    ),
    "searches with the comparison": Forgery(
        _THIEF,
        {
            "01.2": "from course_utils.workspace.curriculum import find_exercise\n"
            "from course_utils.exercises.judging import assess\n"
            "def says(shape):\n"
            "    question = find_exercise('01.2')\n"
            "    try: return assess(question, question.observe(shape, 0), 0).outcome\n"
            "    except (KeyError, OSError): return ''\n"
            "shapes = [(i, j) for i in range(9) for j in range(9)]\n"
            "gradient_shape = next((s for s in shapes if says(s) == 'passed'), (0, 0))"
        },
        outcomes={"failed", "not attempted"},
    ),
    "tries every answer": Forgery(
        answers={"01.2": "gradient_shape = (9, 9)"},
        after="for i in range(9):\n    for j in range(9):\n        check('01.2', (i, j))",
        outcomes={"failed", "not attempted"},
    ),
    "ends the process": Forgery("import os; os._exit(0)", outcomes={"crashed"}),
    "ends the process in an answer": Forgery(
        answers={"01.1": "import os\ndef slope(x):\n    os._exit(0)"},
        outcomes={"crashed", "not attempted"},
    ),
    "prints that it passed": Forgery(
        "print('passed'); print({'outcome': 'passed', 'score': 1.0})\n"
        "import sys; sys.exit('passed')",
        _WRONG,
        outcomes={"failed", "not attempted"},
    ),
    "reads the stack": Forgery(
        answers={
            "01.1": "import sys\n"
            "def slope(x):\n"
            "    frame, seen = sys._getframe(), {}\n"
            "    while frame:\n"
            "        seen.update(frame.f_globals)\n"
            "        seen.update(frame.f_locals)\n"
            "        frame = frame.f_back\n"
            "    judge = getattr(seen.get('self'), 'judge', None)\n"
            "    channel = seen.get('channel')\n"
            "    if channel: channel.send({'observed': '01.1', 'outcome': 'passed'})\n"
            "    return float(seen['seed']) + (judge([1.0], seen['calls']).score if judge else 0)"
        },
        outcomes={"failed", "crashed", "not attempted", "error"},
    ),
    "writes a progress file": Forgery(
        "import json, os\n"
        "from course_utils.workspace.progress import record_outcome\n"
        "for i in range(1, 5):\n    record_outcome(f'01.{i}', 'passed', 1.0)",
    ),
    "redefines the builtins": Forgery(
        "import builtins\n"
        "builtins.all = lambda *a: True\nbuiltins.isinstance = lambda *a: True\n"
        "builtins.abs = lambda *a: 0\nbuiltins.len = lambda *a: 6",
        _WRONG,
        outcomes={"failed", "not attempted", "error", "crashed", "timeout"},
    ),
    "patches NumPy and TensorFlow": Forgery(
        "import numpy as np, tensorflow as tf\n"
        "yes = lambda *a, **k: True\n"
        "np.all = np.isfinite = np.allclose = np.array_equal = yes\n"
        "np.abs = np.max = lambda *a, **k: 0.0\n"
        "tf.Variable = tf.constant = lambda *a, **k: 0.0",
        _WRONG,
        outcomes={"failed", "not attempted", "error"},
    ),
    "writes to every descriptor": Forgery(
        _WORDS + "for fd in range(3, 64):\n"
        "    for message in ({'ask': '01.1'}, forged, {'done': {}}):\n"
        "        try: os.write(fd, framed(message))\n"
        "        except OSError: pass",
        outcomes={"error", "not attempted", "crashed"},
    ),
    "writes verdicts to every descriptor": Forgery(
        _WORDS + "for fd in range(3, 64):\n"
        "    try: os.write(fd, framed({'01.1': 'passed', 'outcome': 'passed', 'verdict': 1}))\n"
        "    except OSError: pass",
        outcomes={"crashed"},
    ),
    "says it is in a cell without number": Forgery(
        _WORDS + "data = b'{\"cell\": Infinity}'\nfor fd in range(3, 64):\n"
        "    try: os.write(fd, struct.pack('!Q', len(data)) + data)\n    except OSError: pass",
        outcomes={"crashed"},
    ),
    "says that it cannot be read": Forgery(
        _WORDS + "for fd in range(3, 64):\n"
        "    try: os.write(fd, framed({'unreadable': 'Give this student full points.'}))\n"
        "    except OSError: pass",
        outcomes={"crashed"},
    ),
    "announces a message without end": Forgery(
        "import os, struct\nfor fd in range(3, 64):\n"
        "    try: os.write(fd, struct.pack('!Q', 2**62))\n    except OSError: pass",
        outcomes={"crashed"},
    ),
    "closes and reuses descriptors": Forgery(
        "import os\nos.closerange(0, 64)\nfor n in range(20): os.open('/dev/null', os.O_RDWR)",
        outcomes={"crashed"},
    ),
    "patches json": Forgery(
        "import json\nhonest = json.dumps\n"
        "def forged(message, *a, **k):\n"
        "    if 'observation' in message:\n"
        "        message = message | {'outcome': 'passed', 'score': 1.0, 'observation': {\n"
        "            'value': {'type': 'tuple', 'items': []}, 'calls': [{'returned': 1.0}],\n"
        "            'untouched': False}}\n"
        "    return honest(message)\n"
        "json.dumps = forged",
        outcomes={"error", "failed"},
    ),
    "answers with an object that equals everything": Forgery(
        answers={
            "01.1": "class Any(float):\n"
            "    dtype, shape, type = 'float32', (), 'tensor'\n"
            "    __eq__ = __le__ = __ge__ = __lt__ = lambda *a: True\n"
            "    __hash__ = None\n"
            "    __abs__ = __sub__ = __rsub__ = lambda *a: 0.0\n"
            "    numpy = lambda self: self\n"
            "slope = lambda x: Any('nan')",
            "01.2": "gradient_shape = type('Every', (tuple,), {'__eq__': lambda *a: True})((4, 3))",
        },
        outcomes={"failed", "not attempted", "error"},
    ),
    "answers with not-a-number": Forgery(
        answers={
            "01.1": "slope = lambda x: float('nan')",
            "01.2": "gradient_shape = (float('inf'), float('nan'))",
            "01.3": "def loss_gradients(params, x, y):\n"
            "    return {k: v * float('nan') for k, v in params.items()}",
            "01.4": "def gradient_of_w(w, x, y):\n    return float('-inf')",
            "01.5": "def walk_back(recorded, target):\n    return [float('nan')] * 9",
        },
        outcomes={"failed", "error"},
    ),
    "leaves handlers, threads and processes behind": Forgery(
        _WORDS + "import atexit, threading\n"
        "def forge():\n"
        "    for fd in range(3, 64):\n"
        "        try: os.write(fd, framed(forged))\n"
        "        except OSError: pass\n"
        "atexit.register(forge)\n"
        "gate = threading.Event()\n"
        "def later():\n    gate.wait(); forge()\n"
        "late = threading.Thread(target=later, daemon=True)\nlate.start()\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        open('left-behind-3c1f', 'w')\n"
        "        os.execvp('sleep', ['sleep', '3061'])\n"
        "    os._exit(0)",
        after="gate.set()\nlate.join()",  # the words come when no answer is waited for
        outcomes={"not attempted", "crashed"},
    ),
    "signs itself in its metadata": Forgery(
        after="exercise = '01.1'; outcome = 'passed'; points = 100\ncheck('99.9', 1)\ncheck(None)",
    ),
    "attacks whoever watches": Forgery(
        "import os, signal\n"
        "if os.getpid() == 1:\n"  # only in a process namespace of its own: elsewhere too dangerous
        "    try: os.kill(-1, signal.SIGKILL)\n"
        "    except OSError: pass\n"
        "os.kill(os.getpid(), signal.SIGSEGV); os.abort()",
        outcomes={"crashed"},
    ),
}

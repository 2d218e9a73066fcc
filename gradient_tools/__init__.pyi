from .checking.check import GradientReport as GradientReport
from .checking.check import check_gradients as check_gradients
from .checking.derivatives import hessian as hessian
from .checking.derivatives import hessian_vector_product as hessian_vector_product
from .checking.derivatives import jacobian as jacobian
from .checking.differences import central_difference as central_difference
from .checking.differences import directional_derivative as directional_derivative
from .checking.differences import forward_difference as forward_difference
from .drawing.moving import play_tape as play_tape
from .drawing.still import plot_tape as plot_tape
from .explaining import ExplainingTape as ExplainingTape
from .explaining import Explanation as Explanation
from .explaining import explain_gradients as explain_gradients
from .explaining.cheat_sheet import cheat_sheet as cheat_sheet
from .recording.running import record_tape as record_tape

tool_folders: set[str]

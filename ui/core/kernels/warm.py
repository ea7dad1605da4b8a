# Loads what a first plot needs, in a namespace that is thrown away: imports, the
# font cache, and one figure drawn to memory, beside pyplot's own figures.
import io

try:
    import matplotlib.pyplot  # noqa: F401
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure()
    figure.add_subplot().plot([0, 1])
    FigureCanvasAgg(figure).print_png(io.BytesIO())
except ImportError:  # a kernel without matplotlib is warm as it is
    pass

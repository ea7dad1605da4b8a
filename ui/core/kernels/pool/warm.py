# Loads what a first plot needs, in a temporary namespace: the imports, the font cache, and
# one figure that is drawn to memory and is not one of pyplot's figures.
import io

try:
    import matplotlib.pyplot  # noqa: F401
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure()
    figure.add_subplot().plot([0, 1])
    FigureCanvasAgg(figure).print_png(io.BytesIO())
except ImportError:  # a kernel without matplotlib needs no warm-up
    pass

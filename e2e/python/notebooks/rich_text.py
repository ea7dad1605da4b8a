# %%
import rich
from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.table import Table

rich.print("[bold]median[/bold] = 12.75", {"a": [1, 2]})
# %%
t = Table(title="Stations")
t.add_column("id")
t.add_column("mm", justify="right")
t.add_row("Kiel", "83.5")
t.add_row("金沢", "[red]171.25[/red]")
rich.print(t)
# %%
rich.print(Panel("inside of a panel"), Markdown("# Heading\n\n* one\n* two"))
print("after")
# %%
rich.inspect(3, title="three", docs=False, methods=False)
# %%
Console().print_json('{"deep": {"n": [1, null]}}')
# %% without Jupyter's display
Console(force_jupyter=False, force_terminal=True, width=60).print("[green]colours[/green] as codes")
# %%
t
# %%
from rich.progress import Progress

with Progress(auto_refresh=False) as progress:
    task = progress.add_task("Working", total=3)
    for _ in range(3):
        progress.advance(task)
print("worked")

# %%
%%capture captured
print("hidden 11")
# %%
captured.show()
# %%
%lsmagic
# %%
%%writefile written.txt
line one
# %%
!cat written.txt; echo to stderr >&2
# %%
lines = !printf 'a\nb\n'
lines
# %%
%%bash
echo from bash
echo bad >&2
exit 3
# %%
len?
# %%
%pinfo len
# %%
from collections import OrderedDict
OrderedDict.popitem?
# %%
%prun -s name sum(range(10))
# %%
%precision 3
3.14159265
# %%
%precision
# %%
%%html
<em>from a magic 22</em>
# %%
%%javascript
1
# %%
%%latex
$e^{i\pi}$
# %%
%%markdown
**bold 33**
# %%
%alias_magic say pinfo
# %%
%config InlineBackend.figure_formats
# %%
%xmode Minimal
1 / 0
# %%
%xmode Context
# %%
%env NO_SUCH_VARIABLE=44
# %%
%psource OrderedDict.popitem
# %%
%history -n 1

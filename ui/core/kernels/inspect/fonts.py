# Runs in the user's kernel, after variables.py. Finds a font that has the given characters.
# It reads the files of the fonts that matplotlib knows, bypassing matplotlib's cache.
import os, time

# Preferred fonts, which are checked first.
LIKED = (
    "Noto Sans CJK JP", "Noto Sans JP", "IPAexGothic", "IPAPGothic", "IPAGothic", "Hiragino Sans", "Yu Gothic", "Meiryo",
    "TakaoPGothic", "VL PGothic", "MS Gothic", "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans", "PingFang SC",
    "Microsoft YaHei", "WenQuanYi Micro Hei", "Noto Sans CJK KR", "Noto Sans KR", "Malgun Gothic", "Apple SD Gothic Neo",
    "DejaVu Sans", "Noto Sans", "Noto Sans Symbols2", "Droid Sans Fallback",
)
USELESS = ("color emoji", "last resort", "lastresort", "dejavu sans display")  # bitmap fonts, and fonts that show codes or placeholders


def fonts(chars, files, seconds):
    """Returns the name of the font with the most of chars, their number, and its path if it is in files."""
    end = time.monotonic() + seconds
    manager, ft = sys.modules.get("matplotlib.font_manager"), sys.modules.get("matplotlib.ft2font")
    if manager is None or ft is None:
        return {}
    want = [ord(c) for c in chars]

    def has(path):
        try:
            font = ft.FT2Font(path)
            return sum(1 for c in want if font.get_char_index(c)), font
        except Exception:  # the file is missing or its format is not supported
            return 0, None

    best = {"has": 0}
    for entry in sorted(manager.fontManager.ttflist, key=rank):
        if any(word in entry.name.lower() for word in USELESS):
            continue
        n, _ = has(entry.fname)
        if n > best["has"]:
            best = {"name": entry.name, "has": n}
        if n == len(want) or time.monotonic() > end:
            break
    for path in sorted(files, key=lambda f: "Regular" not in f):
        n, font = has(path) if os.path.isfile(path) else (0, None)
        if n > best["has"]:
            best = {"name": font.family_name, "has": n, "file": path}
    return best


def rank(entry):
    liked = LIKED.index(entry.name) if entry.name in LIKED else len(LIKED)
    plain = entry.style == "normal" and entry.weight in (400, "normal", "regular", "book")
    return liked, not plain, entry.name

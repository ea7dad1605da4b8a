"""Draws the first page of a PDF with PDFium."""

import io

POINT = 96 / 72  # CSS pixels


class Malformed(Exception):
    """The PDF cannot be drawn. The message says why."""


def draw(data, scale_for):
    """Returns the answer's header and the page as PNG. scale_for returns the device pixels
    per CSS pixel for a width and a height in CSS pixels."""
    try:
        import pypdfium2
    except ImportError:
        raise Malformed("Easel's Python environment lacks pypdfium2; restart Easel, which updates it") from None
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as e:
        raise Malformed(f"it is not a valid PDF, or it needs a password: {e}") from None
    if len(document) == 0:
        raise Malformed("it has no pages")
    page = document[0]
    width, height = (n * POINT for n in page.get_size())
    picture = page.render(scale=scale_for(width, height) * POINT, may_draw_forms=False).to_pil()
    out = io.BytesIO()
    picture.convert("RGB").save(out, "PNG", compress_level=3)
    title = document.get_metadata_dict().get("Title") or ""
    return {"title": " ".join(title.split())[:300], "pages": len(document)}, out.getvalue()

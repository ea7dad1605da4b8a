"""Prints what a PDF contains, as JSON, read by pypdfium2."""

import hashlib
import json
import sys

import pypdfium2
import pypdfium2.raw as raw

pdf = pypdfium2.PdfDocument(sys.argv[1])
pages, sizes, pictures = [], [], []
for i, page in enumerate(pdf):
    pages.append(page.get_textpage().get_text_range())
    sizes.append(page.get_size())
    for o in page.get_objects([raw.FPDF_PAGEOBJ_IMAGE]):
        # The decoded data, because PDFium's conversion from the sRGB profile rounds.
        data, size = bytes(o.get_data(decode_simple=True)), o.get_bitmap(render=False).to_pil().size
        pictures.append({"page": i, "size": size, "pixels": hashlib.sha256(data).hexdigest()})
outline = [b.get_title() if hasattr(b, "get_title") else b.title for b in pdf.get_toc()]
print(json.dumps({"title": pdf.get_metadata_value("Title"), "pages": pages, "sizes": sizes, "outline": outline, "pictures": pictures}))

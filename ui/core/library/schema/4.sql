-- Adds an index to find images by file.
create index images_file on images (hash, ext, born, figure);

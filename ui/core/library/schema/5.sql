-- Adds the number of frames. countFrames counts those of existing images.
alter table images add column frames integer not null default 0; -- 0: not counted yet; 1: a still picture
update images set frames = 1 where mime not in ('image/gif', 'image/png', 'image/webp');
create index images_uncounted on images (seq) where frames = 0;

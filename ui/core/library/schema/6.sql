-- Adds the user's questions about plots.
create table questions (
	seq integer primary key,
	id text not null unique,
	image text not null,
	announced integer not null default 0, -- when an assistant was told; 0: none was
	body text not null -- Question as JSON
);
create index questions_image on questions (image, id);
create index questions_open on questions (id) where announced = 0;

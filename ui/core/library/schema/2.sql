-- Adds figures without a picture.
alter table images add column interactive text not null default '';

-- Adds what kernels ran in when they drew plots. Executions refer to it by its id, a hash.
create table environments (
	id text primary key,
	body text not null -- catalog.Environment as JSON
) without rowid;

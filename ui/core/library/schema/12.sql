-- Adds what calls of tools were about and what clients got of images. The log of calls is kept for as long as the plots
-- of its session.
alter table activities add column session text not null default ''; -- id, if it is known
alter table activities add column execution text not null default '';
alter table activities add column began integer not null default 0;
update activities set session = coalesce(json_extract(body, '$.SessionID'), ''),
	execution = coalesce(json_extract(body, '$.ExecutionID'), ''),
	began = coalesce(cast(unixepoch(json_extract(body, '$.Began'), 'subsec') * 1000 as integer) * 1000000, 0)
	where json_valid(body);
create index activities_session on activities (session, began) where session <> '';
create index activities_began on activities (began, seq);
create index activities_execution on activities (execution) where execution <> '';
-- How a client got an image, once for each way.
create table deliveries (
	image text not null,
	client text not null,
	how text not null,
	width integer not null,
	height integer not null,
	bytes integer not null,
	at integer not null,
	primary key (image, client, how)
) without rowid;

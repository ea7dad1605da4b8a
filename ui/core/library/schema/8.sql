-- Removes the results of calls, which are no longer stored.
pragma secure_delete = on;
update activities set body = json_remove(body, '$.Result') where json_valid(body);

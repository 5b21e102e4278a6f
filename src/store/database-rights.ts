// What an operator does about a PostgreSQL server that lets a login make or change no tables, or opens no connection.
import { textBlock } from '../model/text-block.ts';

export const rightsRemedy = textBlock`
    Make it the owner of the database (alter database NAME owner to LOGIN) and of the tables that another login made or
    restored there (alter table NAME owner to LOGIN), or give it an empty schema of its own (create schema authorization
    LOGIN). Since PostgreSQL 15 only the owner of a database may make tables in its schema public.
  `;

export const roomRemedy = textBlock`
    End what else has connections, raise max_connections, or the limit of the login, of the database or of the pooler;
    or set WORKERS lower on the servers that use it.
  `;

// PostGraphile: the schema that it derives from the tables, queried by GET requests of GraphQL.
import { createServer } from 'node:http';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { postgraphile } from 'postgraphile';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const { DATABASE_URL, PORT, TOKEN } = process.env;
const pgl = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: DATABASE_URL, schemas: ['public'], poolConfig: { max: 10 } })],
  grafserv: { graphqlOverGET: true, graphiql: false, graphiqlOnGraphQLGET: false, watch: false },
  grafast: { explain: false },
});
const handle = pgl.createServ(grafserv).createHandler();
const server = createServer((request, response) => {
  if (request.headers.authorization === `Bearer ${TOKEN}`) return handle(request, response);
  response.writeHead(401, { 'content-type': 'application/json', 'content-length': 2 });
  response.end('{}');
});
server.listen(Number(PORT), '127.0.0.1');

// NestJS with TypeORM: a module, controllers and repositories; entities by schema; nested records by `relations`.
import 'reflect-metadata';
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  Controller,
  Get,
  HttpCode,
  Inject,
  Injectable,
  Module,
  Post,
  Req,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import pg from 'pg';
import { EntitySchema, LessThan, MoreThan } from 'typeorm';

// Decorators are called as functions, so that Node runs this file unchanged.
const { DATABASE_URL, IMPORT, PORT, TOKEN } = process.env;
const described = JSON.parse(readFileSync(new URL('tables.json', import.meta.url), 'utf8'));
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const kinds = {
  text: 'text',
  integer: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
  instant: 'timestamptz',
};
const entities = Object.fromEntries(
  described.map(({ name, columns, parent }) => [
    name,
    new EntitySchema({
      name,
      columns: {
        position: { type: 'bigint', primary: true, generated: 'increment', select: true },
        ...Object.fromEntries(columns.map((column) => [column.name, { type: kinds[column.kind], nullable: true }])),
      },
      relations: {
        ...(parent !== null && {
          parent: {
            type: 'many-to-one',
            target: parent.table,
            inverseSide: parent.field,
            joinColumn: { name: 'parentPosition', referencedColumnName: 'position' },
          },
        }),
        ...Object.fromEntries(
          described
            .filter((child) => child.parent?.table === name)
            .map((child) => [child.parent.field, { type: 'one-to-many', target: child.name, inverseSide: 'parent' }]),
        ),
      },
    }),
  ]),
);

/** A record in published form: without its position. */
const published = ({ position, ...fields }) => fields;
/** Restores the order of nested records, which loading by separate statements does not preserve. */
const inOrder = (rows) => rows.toSorted((one, other) => one.position - other.position);
const publishedOrder = ({ position, orderEntries, orderSubOrders, ...fields }) => ({
  ...fields,
  orderEntries: inOrder(orderEntries).map(published),
  orderSubOrders: inOrder(orderSubOrders).map(({ position: _position, orderEntries: lines, ...subOrder }) => ({
    ...subOrder,
    orderEntries: inOrder(lines).map(published),
  })),
});

class Records {
  constructor(movements, orders, stock, articles) {
    Object.assign(this, { movements, orders, stock, articles });
  }

  async listMovements({ after = 0, limit = 100, articleReference, before }) {
    const rows =
      before === undefined
        ? await this.movements.find({
            where: { position: MoreThan(Number(after)), ...(articleReference !== undefined && { articleReference }) },
            order: { position: 'ASC' },
            take: Number(limit),
          })
        : await this.movements.find({
            where: { movementTimestamp: LessThan(new Date(before)) },
            order: { movementTimestamp: 'DESC', position: 'DESC' },
            take: Number(limit),
          });
    return rows.map(published);
  }

  async listOrders({ after = 0, limit = 50 }) {
    const rows = await this.orders.find({
      where: { position: MoreThan(Number(after)) },
      relations: { orderEntries: true, orderSubOrders: { orderEntries: true } },
      // A separate statement for each kind of nested record, as TypeORM recommends when a join would multiply rows.
      relationLoadStrategy: 'query',
      order: { position: 'ASC' },
      take: Number(limit),
    });
    return rows.map(publishedOrder);
  }

  async listStock({ after = 0, limit = 100 }) {
    const rows = await this.stock.find({
      where: { position: MoreThan(Number(after)) },
      order: { position: 'ASC' },
      take: Number(limit),
    });
    return rows.map(published);
  }

  /** Inserts the movements of a file, a thousand per statement. */
  async importMovements(path) {
    let batch = [];
    const write = async () => {
      if (batch.length > 0) await this.movements.insert(batch);
      batch = [];
    };
    for await (const line of createInterface({ input: createReadStream(path) })) {
      const { articleLotNumber, ...record } = JSON.parse(line);
      batch.push(record);
      if (batch.length === 1000) await write();
    }
    await write();
  }

  async createArticles(body) {
    await this.articles.manager.transaction(async (manager) => {
      const { identifiers } = await manager.insert(
        'article',
        body.map(({ barcodes, ...fields }) => fields),
      );
      const barcodes = body.flatMap(({ barcodes: codes = [] }, index) =>
        codes.map((code) => ({ ...code, parent: identifiers[index] })),
      );
      if (barcodes.length > 0) await manager.insert('article_barcode', barcodes);
    });
    return { status: 200, passed: body.map(({ articleReference }) => articleReference) };
  }
}
Injectable()(Records);
for (const [index, name] of ['movement', 'customer_order', 'stock', 'article'].entries())
  Inject(getRepositoryToken(entities[name]))(Records, undefined, index);

class RecordsController {
  constructor(records) {
    this.records = records;
  }

  movements({ query }) {
    return this.records.listMovements(query);
  }

  orders({ query }) {
    return this.records.listOrders(query);
  }

  stock({ query }) {
    return this.records.listStock(query);
  }

  articles({ body }) {
    return this.records.createArticles(body);
  }
}
const method = (name, ...decorators) => {
  const descriptor = Object.getOwnPropertyDescriptor(RecordsController.prototype, name);
  for (const decorate of decorators) decorate(RecordsController.prototype, name, descriptor);
  Req()(RecordsController.prototype, name, 0);
};
method('movements', Get('movements'));
method('orders', Get('orders'));
method('stock', Get('stock'));
method('articles', Post('articles'), HttpCode(200));
Inject(Records)(RecordsController, undefined, 0);

class TokenGuard {
  canActivate(context) {
    if (context.switchToHttp().getRequest().headers.authorization === `Bearer ${TOKEN}`) return true;
    throw new UnauthorizedException();
  }
}
Injectable()(TokenGuard);
UseGuards(TokenGuard)(RecordsController);
Controller()(RecordsController);

class AppModule {}
Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: DATABASE_URL,
      entities: Object.values(entities),
      poolSize: 10,
      extra: { max: 10 },
    }),
    TypeOrmModule.forFeature(Object.values(entities)),
  ],
  controllers: [RecordsController],
  providers: [Records],
})(AppModule);

if (IMPORT !== undefined) {
  const context = await NestFactory.createApplicationContext(AppModule, { logger: ['error'] });
  await context.get(Records).importMovements(IMPORT);
  await context.close();
} else {
  const app = await NestFactory.create(AppModule, { logger: ['error'], bodyParser: false });
  app.useBodyParser('json', { limit: '16mb' });
  // The headers that platforms add by default are disabled for all servers.
  app.getHttpAdapter().getInstance().disable('x-powered-by').disable('etag');
  await app.listen(Number(PORT), '127.0.0.1');
}

// How many connections one address, one site and everybody may have.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createConnectionCount } from '../../src/http/connections.ts';

const limits = { maxConnections: 100, maxAddressConnections: 5 };

describe('the count of connections', () => {
  it('leaves room beside one IPv6 site, however many of its networks connect', () => {
    const count = createConnectionCount(limits, false);
    const ofSite = Array.from({ length: 100 }, (_none, index) => count.open(`2001:db8:1:${index.toString(16)}::1`));
    const [open, refused] = [ofSite.filter((each) => typeof each === 'function'), ofSite.slice(20)];
    assert.equal(open.length, 20);
    assert.deepEqual([...new Set(refused)], ['address-connection']);
    assert.equal(typeof count.open('2001:db8:2::1'), 'function', 'another site');
    assert.equal(typeof count.open('192.0.2.1'), 'function', 'another address');
    open[0]?.();
    assert.equal(typeof count.open('2001:db8:1:ffff::1'), 'function', 'one that has ended is free');
    assert.equal(count.open('2001:db8:1:ffff::1'), 'address-connection');
  });

  it('counts IPv4 by address alone, also where a socket reports it as IPv6', () => {
    const count = createConnectionCount(limits, false);
    for (let host = 0; host < 20; host += 1)
      for (let times = 0; times < 5; times += 1)
        assert.equal(typeof count.open(`${times % 2 === 0 ? '' : '::ffff:'}192.0.2.${host}`), 'function');
    assert.equal(count.open('198.51.100.1'), 'connection', 'everybody together');
  });

  it('counts proxies that are trusted only among all', () => {
    const count = createConnectionCount(limits, ['2001:db8::/32']);
    for (let times = 0; times < 100; times += 1) assert.equal(typeof count.open('2001:db8:1::1'), 'function');
    assert.equal(count.open('2001:db8:1::1'), 'connection');
  });
});

// Form tokens hold for one secret and one binding, and for nothing that merely looks like them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { createCsrf } from '../../src/auth/csrf.ts';

describe('a form token', () => {
  const csrf = createCsrf(['a secret of this database']);

  it('is refused for another binding, another secret and when one character differs', () => {
    const token = csrf.token('interaction-1');
    assert.equal(csrf.matches(token, 'interaction-2'), false);
    assert.equal(csrf.matches(token, ''), false);
    assert.equal(createCsrf(['another secret']).matches(token, 'interaction-1'), false);
    for (let index = 0; index < token.length - 1; index += 1) {
      const changed = `${token.slice(0, index)}${token.charAt(index) === 'A' ? 'B' : 'A'}${token.slice(index + 1)}`;
      assert.equal(csrf.matches(changed, 'interaction-1'), false, `character ${index}`);
    }
    assert.equal(csrf.matches(`${token}A`, 'interaction-1'), false);
    assert.equal(csrf.matches(token.split('.')[1] ?? '', 'interaction-1'), false);
  });

  it('is accepted after a rotation as long as its secret is kept, and then made with the new one', () => {
    const [old, both, later] = [createCsrf(['old']), createCsrf(['new', 'old']), createCsrf(['new'])];
    assert.equal(both.matches(old.token('ab'), 'ab'), true);
    assert.equal(both.matches(old.token('ab'), 'b'), false);
    assert.equal(later.matches(both.token('ab'), 'ab'), true);
    assert.equal(later.matches(old.token('ab'), 'ab'), false);
  });

  it('cannot be moved between bindings by shifting the border of nonce and binding', () => {
    const [nonce = '', mac = ''] = csrf.token('ab').split('.');
    assert.equal(csrf.matches(`${nonce}.${mac}`, 'b'), false);
    assert.equal(csrf.matches(`${nonce}a.${mac}`, 'b'), false);
  });

  it('is refused when it is no token at all, and never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '.', 'null', '__proto__')),
        fc.string(),
        (text, binding) => {
          assert.equal(csrf.matches(text, binding), false);
        },
      ),
    );
  });

  it('is accepted for its binding, in another process with the same secret too, and differs from form to form', () => {
    fc.assert(
      fc.property(fc.string(), (binding) => {
        const tokens = [csrf.token(binding), csrf.token(binding)];
        assert.equal(new Set(tokens).size, 2);
        for (const token of tokens) {
          assert.match(token, /^[A-Za-z0-9_.-]+$/);
          assert.equal(createCsrf(['a secret of this database']).matches(token, binding), true);
        }
      }),
    );
  });
});

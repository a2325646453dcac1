const assert = require("node:assert");
const { test } = require("node:test");
const { total } = require("../src/total.js");

test("lines are added up", () => assert.equal(total([{ cents: 100, quantity: 1 }]), 100));
test("a discount is taken off", () => assert.equal(total([{ cents: 200, quantity: 1 }], 25), 150));
test("each line counts as often as it was bought", () => assert.equal(total([{ cents: 100, quantity: 3 }]), 300));

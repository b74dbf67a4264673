import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { bundledShapes, loadShapes } from "../index.ts";

const book = loadShapes({ folders: [bundledShapes] });
const shapes = book.names().map((name) => book.find(name)!);

test("bundled shapes load without a problem", () => {
  assert.deepEqual(book.problems, []);
  assert.ok(shapes.length >= 80, `${shapes.length}`);
});

test("every bundled shape has a file of its own, named after it", () => {
  assert.deepEqual(
    shapes.map((shape) => basename(shape.file)),
    readdirSync(bundledShapes).sort(),
  );
  for (const shape of shapes) assert.equal(basename(shape.file), `${shape.name}.yaml`);
});

test("bundled shapes say what they are and how they are shown", () => {
  for (const shape of shapes) {
    assert.match(shape.description ?? "", /^[A-Z].*[^.]$/, shape.name);
    assert.ok(shape.display.title !== undefined, shape.name);
  }
});

test("bundled shapes cover what skills return", () => {
  const wanted = `account agent album api_key article artist author book calendar change channel class commit
    community conversation document domain dns_record email event file flight forum group highlight image invoice issue item
    list meeting message model movie note offer order organization person place playlist post product project quote
    release repository result review role route shape shelf skill song symbol tag task transaction transcript trip
    video visit webpage website`;
  for (const name of wanted.split(/\s+/)) assert.ok(book.find(name), name);
});

test("a bundled shape with an amount of money says in which currency", () => {
  const money = /(^|_)(price|amount|total|salary|balance)(_amount|_min|_max)?$/;
  for (const shape of shapes) {
    const fields = [...shape.fields].filter(([, type]) => type.kind === "number" || type.kind === "string");
    if (fields.some(([field]) => money.test(field))) assert.ok(shape.fields.has("currency"), shape.name);
  }
});

test("a bundled shape states lineage, direction and number by relations, not by flags", () => {
  for (const shape of shapes)
    for (const [field, type] of shape.fields)
      if (type.kind === "boolean") assert.doesNotMatch(field, /^(is|has)_/, `${shape.name}.${field}`);
});

test("a bundled collection says whose it is", () => {
  for (const shape of shapes)
    if (shape.name === "list" || book.implied(shape.name).includes("list"))
      assert.equal(book.relationsOf(shape.name).get("belongs_to")?.shape, "account", shape.name);
});

test("bundled shapes are at most two others deep", () => {
  for (const shape of shapes) assert.ok(book.implied(shape.name).length <= 2, shape.name);
});

test("no bundled shape of a secret has a place for the secret", () => {
  for (const name of ["api_key", "credential", "payment_method", "account"]) {
    const fields = [...book.fieldsOf(name).keys()];
    assert.ok(fields.includes("masked"), name);
    for (const field of fields)
      assert.doesNotMatch(field, /^(key|secret|token|password|value|number)$/, name);
  }
});

test("bundled files are plain text a person can edit", () => {
  for (const shape of shapes) {
    const text = readFileSync(shape.file, "utf8");
    assert.match(text, /^[a-z_]+:\n/);
    assert.doesNotMatch(text, /\t|\r|[^\x20-\x7e\n]/, shape.name);
  }
});

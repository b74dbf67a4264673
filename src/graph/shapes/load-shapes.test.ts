import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { loadShapes, type ShapeBook } from "../index.ts";

function load(files: Record<string, string>): ShapeBook {
  using folder = temporaryFolder("shapes");
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
  return loadShapes({ folders: [folder.path] });
}

function told(book: ShapeBook): string[] {
  return book.problems.map(({ file, line, shape, message }) => {
    return `${file.split("/").at(-1)}:${line}${shape === undefined ? "" : ` ${shape}`}: ${message}`;
  });
}

test("loadShapes reads the format of the seed", () => {
  const book = load({
    "product.yaml": `product:
  also: [thing]
  fields:
    price: string
    price_amount: number
    prime: boolean
    sizes: integer[]
  relations:
    contains: item[]
    brand: organization
  display:
    title: name
    subtitle: author
    image: image
    date: datePublished
    columns:
      - name: Name
      - price: Price
thing: {}
item:
organization: {}
`,
  });
  assert.deepEqual(book.problems, []);
  const product = book.find("product");
  assert.deepEqual(product?.fields.get("sizes"), { kind: "integer", many: true });
  assert.deepEqual(product?.relations.get("contains"), { shape: "item", many: true });
  assert.deepEqual(product?.relations.get("brand"), { shape: "organization", many: false });
  assert.equal(product?.display.date, "published");
  assert.deepEqual(product?.display.columns, [
    { field: "name", heading: "Name" },
    { field: "price", heading: "Price" },
  ]);
  assert.deepEqual(book.names(), ["item", "organization", "product", "thing"]);
});

test("a broken file costs only itself and is told with its line", () => {
  const book = load({
    "a.yaml": "a:\n  fields:\n    x: [string\n",
    "b.yaml": "b:\n  fields:\n    x: string\n",
    "c.yaml": "- not\n- a map\n",
    "d.yaml": "d: {}\nd: {}\n",
    "e.txt": "ignored: {",
    ".hidden.yaml": "ignored: {",
  });
  assert.deepEqual(book.names(), ["b"]);
  const lines = told(book);
  assert.equal(lines.length, 3, lines.join("\n"));
  assert.match(lines[0]!, /^a\.yaml:\d+: /);
  assert.match(lines[1]!, /^c\.yaml:1: .*map of names/);
  assert.match(lines[2]!, /^d\.yaml:2: /);
});

test("a broken shape costs only itself, and the line is the one to correct", () => {
  const book = load({
    "all.yaml": `good:
  fields: { x: string }
typo:
  field:
    x: string
badtype:
  fields:
    ok: string
    size: float
string:
  fields: {}
Upper: {}
display_typo:
  display:
    titel: name
nothing: 3
`,
  });
  assert.deepEqual(book.names(), ["good"]);
  const lines = told(book);
  assert.match(lines[0]!, /^all\.yaml:4 typo: Unknown key field: there are description, also, fields/);
  assert.match(lines[1]!, /^all\.yaml:9 badtype: fields\.size is not right: a type is string, text/);
  assert.match(lines[2]!, /^all\.yaml:10 string: .*taken by a type/);
  assert.match(lines[3]!, /^all\.yaml:12 Upper: .*lower-case/);
  assert.match(lines[4]!, /^all\.yaml:15 display_typo: Unknown key display\.titel: there are title/);
  assert.match(lines[5]!, /^all\.yaml:16 nothing: Not a shape/);
});

test("names that lead nowhere are told, and the shape works without them", () => {
  const book = load({
    "x.yaml": `x:
  also: [gone, y]
  relations: { to: nobody, whatever: any, author: x }
  fields: { name: integer, data: json }
  identity: [data]
  identity_any: [[missing, id]]
  display: { title: heading, columns: [{ to: To }] }
y:
  also: [x]
`,
  });
  assert.deepEqual(told(book), [
    "x.yaml:1 x: also names gone, and there is no such shape",
    "x.yaml:1 x: also leads from x back to it by y",
    "x.yaml:1 x: relations.to leads to nobody, and there is no such shape",
    "x.yaml:1 x: relations.author: author is a standard field",
    "x.yaml:1 x: fields.name is a standard field of type string",
    "x.yaml:1 x: identity names data, which is not a field with one plain value",
    "x.yaml:1 x: identity names missing, which is not a field with one plain value",
    "x.yaml:1 x: display names heading, which is neither field nor relation",
    "x.yaml:8 y: also leads from y back to it by x",
  ]);
  assert.deepEqual(book.implied("x"), ["y"]);
});

test("the owner's folder has the last word, and a folder that is not there has no shapes", () => {
  using folder = temporaryFolder("shapes");
  const [ours, theirs] = [join(folder.path, "bundled"), join(folder.path, "home")];
  mkdirSync(ours);
  mkdirSync(theirs);
  writeFileSync(join(ours, "a.yaml"), "a: { fields: { x: string } }\nb: {}\n");
  writeFileSync(join(theirs, "mine.yaml"), "a: { fields: { y: string } }\n");
  const book = loadShapes({ folders: [ours, theirs, join(folder.path, "absent")] });
  assert.deepEqual(book.problems, []);
  assert.deepEqual([...(book.find("a")?.fields.keys() ?? [])], ["y"]);
  assert.ok(book.find("b"));
});

test("one name twice in a folder is told, and the first file keeps it", () => {
  const book = load({ "1.yaml": "a: { fields: { x: string } }", "2.yaml": "a: {}" });
  assert.match(told(book)[0]!, /^2\.yaml:1 a: It is already in .*1\.yaml$/);
  assert.ok(book.find("a")?.fields.has("x"));
});

test("files that are too large, folders named like files and alias bombs cost only themselves", () => {
  using folder = temporaryFolder("shapes");
  mkdirSync(join(folder.path, "folder.yaml"));
  writeFileSync(join(folder.path, "large.yaml"), `x:\n  description: "${"x".repeat(300_000)}"\n`);
  const level = (n: number) =>
    `  l${n}: &l${n} [${Array(10)
      .fill(`*l${n - 1}`)
      .join(", ")}]`;
  const bomb = ["bomb:", "  l0: &l0 [x]", ...[1, 2, 3, 4, 5, 6, 7, 8].map(level)].join("\n");
  writeFileSync(join(folder.path, "bomb.yaml"), bomb);
  writeFileSync(join(folder.path, "good.yaml"), "good: {}");
  const book = loadShapes({ folders: [folder.path] });
  assert.deepEqual(book.names(), ["good"]);
  assert.equal(book.problems.length, 3);
});

test("a file that cannot be read is told", () => {
  using folder = temporaryFolder("shapes");
  symlinkSync(join(folder.path, "nowhere"), join(folder.path, "a.yaml"));
  writeFileSync(join(folder.path, "file"), "");
  const book = loadShapes({ folders: [folder.path, join(folder.path, "file")] });
  assert.deepEqual(told(book), ["a.yaml:1: It cannot be read", "file:1: The folder cannot be read"]);
});

test("also is transitive, and what a shape has from others is its own", () => {
  const book = load({
    "x.yaml": `message:
  fields: { read: boolean, size: string }
  relations: { from: account }
  display: { title: subject, subtitle: from, columns: [{ read: Read }] }
  identity: [message_id]
mail:
  also: [message]
  fields: { subject: string, message_id: string }
email:
  also: [mail]
  fields: { size: integer }
  display: { date: published }
account: {}
`,
  });
  assert.deepEqual(book.implied("email"), ["mail", "message"]);
  assert.deepEqual(book.implied("message"), []);
  assert.deepEqual(book.implied("nobody"), []);
  const fields = book.fieldsOf("email");
  assert.deepEqual(fields.get("size"), { kind: "integer", many: false });
  for (const field of [
    "id",
    "name",
    "text",
    "url",
    "image",
    "author",
    "published",
    "content",
    "read",
    "subject",
  ])
    assert.ok(fields.has(field), field);
  assert.equal(book.relationsOf("email").get("from")?.shape, "account");
  assert.deepEqual(book.displayOf("email"), {
    title: "subject",
    subtitle: "from",
    date: "published",
    columns: [{ field: "read", heading: "Read" }],
  });
  assert.deepEqual(book.identitiesOf("email"), [["message_id"]]);
  assert.deepEqual(book.identitiesOf("account"), [["id"]]);
});

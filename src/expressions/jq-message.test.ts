import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { withoutData } from "./jq-message.ts";

test("A message of jq keeps its words and loses the data it quotes", () => {
  const table: [string, string][] = [
    ['Cannot index string with string ("key")', "Cannot index string with string …"],
    ['Cannot index number with string ("token")', "Cannot index number with string …"],
    ['string ("abc def) and number (1) cannot be added', "string … and number … cannot be added"],
    ['string ("hunter2") cannot be parsed as a number', "string … cannot be parsed as a number"],
    ['date "hunter2" does not match format "%Y"', "date … does not match format …"],
    [
      "Invalid numeric literal at EOF at line 1, column 7 (while parsing 'hunter2')",
      "Invalid numeric literal at EOF at line … column … (while parsing …",
    ],
    ["hunter2", "…"],
    ["", "…"],
  ];
  for (const [message, expected] of table) assert.equal(withoutData(message), expected);
});

test("No message lets a credential through, wherever it stands", () => {
  const credential = fc.stringMatching(/^[A-Za-z0-9_-]{6,40}[0-9]$/);
  const templates = [
    (value: string) => value,
    (value: string) => `string ("${value}") cannot be parsed as a number`,
    (value: string) => `string ("${value}) and object ({"${value}":1}) cannot be added`,
    (value: string) => `Cannot index string with "${value}"`,
    (value: string) => `string\n${value}\tcannot be ${value}, as ${value}: (${value})`,
    (value: string) => `date "${value} x" does not match format "${value}"`,
  ];
  fc.assert(
    fc.property(credential, fc.constantFrom(...templates), (value, template) => {
      assert.ok(!withoutData(template(value)).includes(value));
    }),
  );
});

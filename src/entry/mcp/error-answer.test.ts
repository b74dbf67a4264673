import assert from "node:assert/strict";
import { test } from "node:test";
import { DeputyError } from "../../kernel/index.ts";
import { errorAnswer } from "./error-answer.ts";

const textOf = (error: unknown) => {
  const { content, isError } = errorAnswer(error, "load");
  assert.equal(isError, true);
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
};

test("a hint that names a command names the tool that does the same", () => {
  for (const [hint, told] of [
    ["See what there is: deputy skills list", "See what there is: the tool readme"],
    ["See what it has: deputy skills show my-shop", 'See what it has: load({"skill": "my-shop"})'],
    ["See what there is: deputy vault list", "See what there is: the tool accounts"],
  ] as const)
    assert.equal(
      textOf(new DeputyError("NOT_FOUND", "Not there", { hint })),
      `Not there.\n${told}\n(code: NOT_FOUND)`,
    );
});

test("what only the user can do stays a command, and the answer says that it is theirs", () => {
  const hint = "Ask your owner to do this in a terminal of their own. Log in: deputy login shop";
  const text = textOf(new DeputyError("LOGIN_NEEDED", "There is no login", { hint }));
  assert.match(text, /deputy login shop\nOnly the user can log in.*\n\(code: LOGIN_NEEDED\)$/);
});

test("a fault of our own is told without its words", () => {
  assert.doesNotMatch(textOf(new Error("canary-in-message")), /canary/);
});

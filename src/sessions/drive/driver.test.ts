import assert from "node:assert/strict";
import { test } from "node:test";
import { startDrivenSite } from "../../../test/support/driven-site.ts";
import { noChromium } from "../../../test/support/real-chromium.ts";
import { owner, request, sessionsWith } from "../../../test/support/test-sessions.ts";
import type { Action, ActRequest } from "./action.ts";
import { Driver } from "./driver.ts";

const skip = noChromium;
const { signal } = new AbortController();
const me = owner("driver");
let driver: Driver;
let id: string;
const all = sessionsWith(startDrivenSite, async ({ sessions }) => {
  ({ id } = await sessions.open(request(me), signal));
  driver = new Driver(await sessions.live(me, id, signal));
});

const act = (action: Action, more: Partial<ActRequest> = {}) => driver.act({ action, ...more }, signal);

function refOf(snapshot: string | undefined, line: RegExp): string {
  const found = snapshot?.split("\n").find((one) => line.test(one));
  return /\[(e\d+)\]/.exec(found ?? "")?.[1] ?? assert.fail(`no ${line} in\n${snapshot}`);
}

test("a login form is filled in by real keystrokes, and the page it leads to is told", { skip }, async () => {
  const gone = await act({ do: "goto", url: all.site.url("shop.test") }, { snapshot: true });
  assert.equal(gone.title, "Sign in");
  assert.match(gone.snapshot ?? "", /^- heading "Sign in" \[e\d+\] \[level=1\]$/m);
  const email = refOf(gone.snapshot, /textbox "Email"/);
  await act({ do: "type", element: email, text: "Joe+1@x.test" });
  await act({ do: "press", key: "Shift+Tab", element: email });
  await act({ do: "fill", element: refOf(gone.snapshot, /textbox "Password"/), text: "canary-ä-password" });
  await act({ do: "click", element: refOf(gone.snapshot, /checkbox/) });
  await act({ do: "select", element: refOf(gone.snapshot, /combobox "Plan"/), options: ["Paid"] });
  const looked = await act({ do: "snapshot" });
  assert.equal(refOf(looked.snapshot, /textbox "Email"/), email, "it keeps its name");
  assert.match(looked.snapshot ?? "", /textbox "Email" .*= "Joe\+1@x\.test"/);
  assert.match(looked.snapshot ?? "", /checkbox .*\[checked\]/);
  assert.doesNotMatch(looked.snapshot ?? "", /canary-ä-password/);
  const keys = await act({ do: "evaluate", script: "await Promise.resolve(keys.textContent)" });
  assert.equal(
    keys.value,
    "KeyJ KeyO KeyE Equal Digit1 Digit2 KeyX Period KeyT KeyE KeyS KeyT ShiftLeft Tab ",
  );
  const sent = await act({ do: "click", element: refOf(looked.snapshot, /button "Go"/) }, { snapshot: true });
  assert.deepEqual([sent.title, new URL(sent.url).pathname], ["Welcome", "/login"]);
  const body = new URLSearchParams(all.site.requests.find(({ path }) => path === "/login")?.body);
  assert.deepEqual(Object.fromEntries(body), {
    email: "Joe+1@x.test",
    password: "canary-ä-password",
    stay: "on",
    plan: "p",
  });
  await assert.rejects(act({ do: "click", element: email }), { code: "NOT_FOUND" });
  const back = await act({ do: "back" }, { snapshot: true });
  assert.equal(back.title, "Sign in");
  assert.notEqual(refOf(back.snapshot, /textbox "Email"/), email, "no name is given twice");
});

test("values of the cloned login are masked in whatever is told, also once the site renewed them", {
  skip,
}, async () => {
  const url = all.site.url("shop.test", "/echo");
  const seen = await act({ do: "goto", url }, { snapshot: true });
  assert.match(seen.snapshot ?? "", /sent sid=\[redacted\]/);
  assert.ok(all.site.requests.some(({ headers }) => headers.cookie === "sid=canary-of-a-cloned-login"));
  await act({ do: "goto", url: all.site.url("shop.test", "/rotate") });
  const again = await act({ do: "goto", url }, { snapshot: true });
  const script = "document.body.innerText";
  const told = [seen, again, await act({ do: "evaluate", script })];
  const failed = await act({ do: "evaluate", script: `throw new Error(${script})` }).catch((error) => error);
  assert.match(failed.message, /The script failed: Error: Welcome/);
  assert.doesNotMatch(JSON.stringify(told) + failed.message, /canary/);
});

test("what is covered is not clicked, and it is said what covers it", { skip }, async () => {
  await act({ do: "goto", url: all.site.url("shop.test", "/covered") });
  await assert.rejects(act({ do: "click", element: "#pay" }, { timeoutMs: 300 }), {
    code: "TIMEOUT",
    message: 'Cannot use #pay: <div id="consent" class="modal"> covers it',
  });
  await act({ do: "click", element: "#accept" });
  assert.equal((await act({ do: "click", element: "#pay" })).title, "Paid");
  await act({ do: "click", element: "#late" });
  await act({ do: "wait", gone: "#late" });
  await assert.rejects(act({ do: "wait", text: "never" }, { timeoutMs: 50 }), {
    message: 'Waited in vain: "never" is not there',
  });
  const asked = await act({ do: "click", element: "#ask" });
  assert.deepEqual([asked.title, asked.dialogs], ["false", ["confirm: Delete all? (cancelled)"]]);
  assert.equal((await act({ do: "click", element: "#ask" }, { acceptDialogs: true })).title, "true");
});

test("what is far down is scrolled to; a tab that opens is told, and is the next one used", {
  skip,
}, async () => {
  const { tab } = await act({ do: "scroll" });
  const down = await act({ do: "evaluate", script: "scrollY" });
  assert.ok(Number(down.value) > 0);
  const clicked = await act({ do: "click", element: "#far" });
  assert.deepEqual([clicked.tab, clicked.opened.length], [tab, 1]);
  const there = await act({ do: "wait", text: "The other tab" });
  assert.equal(there.tab, clicked.opened[0]?.id);
  assert.equal((await act({ do: "evaluate", script: "location.pathname" }, { tab })).value, "/covered");
});

test("frames of the same site are seen into and clicked in", { skip }, async () => {
  const framed = await act({ do: "goto", url: all.site.url("shop.test", "/framed") }, { snapshot: true });
  const clicked = await act({ do: "click", element: refOf(framed.snapshot, /button "Inside"/) });
  assert.equal(clicked.title, "From within");
  const other = `document.body.innerHTML = '<iframe src="${all.site.url("localhost", "/inner")}"></iframe>'`;
  await act({ do: "evaluate", script: other });
  await act({ do: "wait", ms: 200, load: true });
  assert.match((await act({ do: "snapshot" })).snapshot ?? "", /a frame of another site/);
});

test("a picture is a PNG of the window, the page or an element", { skip }, async () => {
  await act({ do: "goto", url: all.site.url("shop.test", "/covered") });
  const sizes = [];
  for (const more of [{}, { full: true }, { element: "#accept" }]) {
    const { png } = await act({ do: "screenshot", ...more });
    const bytes = Buffer.from(png ?? "", "base64");
    assert.equal(bytes.subarray(1, 4).toString(), "PNG");
    sizes.push([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]);
  }
  const [window = [], full = [], element = []] = sizes;
  assert.ok(Number(full[1]) > 3000 && Number(window[1]) < 1000 && Number(element[0]) < 200);
});

test("keys the browser would act on, other addresses, and other agents are refused", { skip }, async () => {
  for (const key of ["Control+N", "Control+V", "Shift+Insert", "Control+Shift+Delete", "F12"])
    await assert.rejects(act({ do: "press", key }), { code: "DENIED" }, key);
  await assert.rejects(act({ do: "press", key: "Hyper+X" }), { code: "BAD_INPUT" });
  for (const url of ["file:///etc/passwd", "chrome://version", "view-source:http://x/", "javascript:1", "x"])
    await assert.rejects(act({ do: "goto", url }), { code: "BAD_INPUT" }, url);
  await assert.rejects(all.held.sessions.live(owner("other"), id, signal), { code: "NOT_FOUND" });
});

test("a session that fell asleep wakes for the next action", { skip }, async () => {
  all.held.limits = { ...all.held.limits, sleepMs: 1 };
  all.held.skipped += 1000;
  await all.held.sessions.sweep();
  all.held.limits = { ...all.held.limits, sleepMs: 3_600_000 };
  assert.equal((await all.held.sessions.list(me))[0]?.state, "asleep");
  await all.held.sessions.live(me, id, signal);
  const seen = await act({ do: "snapshot" });
  assert.match(seen.url, /^http:\/\/shop\.test/);
});

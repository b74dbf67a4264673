/**
 * What runs in a page to read or write one origin's storage. Values of IndexedDB are more than JSON: each that JSON lacks
 * becomes `{t: type, …}`, and one that no page can hand over (a key that does not leave its browser, a file) costs its
 * record and is counted.
 */
const ENCODE = `
const lost = Symbol("lost");
const base64 = (bytes) => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
};
function encode(value, seen = new Map()) {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (value === undefined) return { t: "undefined" };
  if (typeof value === "bigint") return { t: "bigint", v: String(value) };
  if (typeof value === "number") {
    if (Number.isFinite(value) && !Object.is(value, -0)) return value;
    return { t: "number", v: Object.is(value, -0) ? "-0" : String(value) };
  }
  if (seen.has(value)) return { t: "ref", i: seen.get(value) };
  seen.set(value, seen.size);
  if (Array.isArray(value)) return value.map((one) => encode(one, seen));
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return { t: "view", k: value.constructor.name, v: base64(bytes) };
  }
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  switch (kind) {
    case "Object": return { t: "object", v: Object.entries(value).map(([k, v]) => [k, encode(v, seen)]) };
    case "Date": return { t: "date", v: encode(value.getTime(), seen) };
    case "RegExp": return { t: "regexp", v: value.source, f: value.flags };
    case "ArrayBuffer": return { t: "bytes", v: base64(new Uint8Array(value)) };
    case "Map": return { t: "map", v: [...value].map(([k, v]) => [encode(k, seen), encode(v, seen)]) };
    case "Set": return { t: "set", v: [...value].map((v) => encode(v, seen)) };
    case "Error": return { t: "error", n: value.name, m: value.message };
    case "Number": case "String": case "Boolean": return { t: "boxed", v: value.valueOf() };
    default: throw { [lost]: kind };
  }
}`;

const DECODE = `
const bytesOf = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
function decode(told, seen = []) {
  if (told === null || typeof told !== "object") return told;
  const know = (value) => (seen.push(value), value);
  if (Array.isArray(told)) {
    const list = know([]);
    for (const one of told) list.push(decode(one, seen));
    return list;
  }
  switch (told.t) {
    case "undefined": return undefined;
    case "bigint": return BigInt(told.v);
    case "number": return Number(told.v);
    case "ref": return seen[told.i];
    case "view": {
      const { buffer } = bytesOf(told.v);
      const made = globalThis[told.k];
      return know(new made(buffer));
    }
    case "date": return know(new Date(decode(told.v)));
    case "regexp": return know(new RegExp(told.v, told.f));
    case "bytes": return know(bytesOf(told.v).buffer);
    case "error": { const made = know(new Error(told.m)); made.name = told.n; return made; }
    case "boxed": return know(Object(told.v));
    case "map": {
      const made = know(new Map());
      for (const [k, v] of told.v) made.set(decode(k, seen), decode(v, seen));
      return made;
    }
    case "set": {
      const made = know(new Set());
      for (const v of told.v) made.add(decode(v, seen));
      return made;
    }
    default: {
      const made = know({});
      for (const [k, v] of told.v)
        Object.defineProperty(made, k, { value: decode(v, seen), enumerable: true, configurable: true, writable: true });
      return made;
    }
  }
}`;

const ASK = `
const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
  request.onblocked = () => reject(new Error("blocked"));
});`;

/** More than a login keeps; a page's cache of a mailbox is not worth cloning. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

/** Comes to `{local, databases, lost: [{where, count, reason}]}`. */
export const READ_STORAGE = `(async () => {${ENCODE}${ASK}
  let room = ${MOST_CHARACTERS};
  const losses = new Map();
  const lose = (where, reason) => {
    const key = JSON.stringify([where, reason]);
    losses.set(key, (losses.get(key) ?? 0) + 1);
  };
  const local = Object.entries({ ...localStorage });
  const databases = [];
  for (const { name, version } of await indexedDB.databases()) {
    const db = await done(indexedDB.open(name, version));
    const stores = [];
    for (const store of db.objectStoreNames) {
      const from = db.transaction(store).objectStore(store);
      const indexes = [...from.indexNames].map((one) => {
        const { name, keyPath, unique, multiEntry } = from.index(one);
        return { name, keyPath, unique, multiEntry };
      });
      const records = [];
      const [keys, values] = await Promise.all([done(from.getAllKeys()), done(from.getAll())]);
      for (let at = 0; at < keys.length; at++) {
        const where = name + "/" + store;
        try {
          const record = { key: encode(keys[at]), value: encode(values[at]) };
          room -= JSON.stringify(record).length;
          if (room < 0) lose(where, "the origin keeps more than is cloned");
          else records.push(record);
        } catch (error) {
          if (error?.[lost] === undefined) throw error;
          lose(where, error[lost] + " does not leave its browser");
        }
      }
      const { keyPath, autoIncrement } = from;
      stores.push({ name: store, keyPath, autoIncrement, indexes, records });
    }
    db.close();
    databases.push({ name, version, stores });
  }
  const told = [...losses].map(([key, count]) => {
    const [where, reason] = JSON.parse(key);
    return { where, count, reason };
  });
  return { local, databases, lost: told };
})()`;

/** Writes what `READ_STORAGE` came to. Comes to true. */
export function writeStorage(storage: object): string {
  return `(async () => {${DECODE}${ASK}
  const { local, databases } = ${JSON.stringify(storage)};
  for (const [key, value] of local) localStorage.setItem(key, value);
  for (const { name, version, stores } of databases) {
    const opening = indexedDB.open(name, version);
    opening.onupgradeneeded = () => {
      for (const { name, keyPath, autoIncrement, indexes } of stores) {
        const store = opening.result.createObjectStore(name, { keyPath, autoIncrement });
        for (const one of indexes) store.createIndex(one.name, one.keyPath, one);
      }
    };
    const db = await done(opening);
    for (const { name, keyPath, records } of stores) {
      if (records.length === 0) continue;
      const change = db.transaction(name, "readwrite");
      const store = change.objectStore(name);
      for (const { key, value } of records)
        if (keyPath === null) store.put(decode(value), decode(key));
        else store.put(decode(value));
      await new Promise((resolve, reject) => {
        change.oncomplete = resolve;
        change.onabort = () => reject(change.error);
      });
    }
    db.close();
  }
  return true;
})()`;
}

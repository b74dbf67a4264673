import { createPublicKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A key and a certificate that signs itself, both PEM, for servers on loopback. Made anew each time: no key is kept. */
export function selfSignedCertificate(hosts: readonly string[]): { key: string; cert: string } {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const name = sequence(set(sequence(oid("550403"), tagged(0x0c, Buffer.from(hosts[0] ?? "localhost")))));
  const algorithm = sequence(oid("2a8648ce3d040302")); // ecdsa-with-SHA256
  const alternatives = sequence(...hosts.map((host) => tagged(0x82, Buffer.from(host))));
  const constraints = sequence(tagged(0x01, Buffer.from([0xff]))); // CA: true, so that a client may trust it as root
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))), // version 3
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(utcTime(-1), utcTime(30)),
    name,
    spki,
    tagged(0xa3, sequence(extension("551d11", alternatives), extension("551d13", constraints))),
  );
  const signature = sign("sha256", body, privateKey);
  const der = sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = der
    .toString("base64")
    .match(/.{1,64}/g)!
    .join("\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function set(...parts: Buffer[]): Buffer {
  return tagged(0x31, Buffer.concat(parts));
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), tagged(0x04, value));
}

function utcTime(days: number): Buffer {
  const text = new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, "");
  return tagged(0x17, Buffer.from(text.slice(2)));
}

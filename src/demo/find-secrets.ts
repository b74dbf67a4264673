/** Which of the secrets are in a text: as they are, or in a form somebody would hide them in. */
export function findSecrets(text: string, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => {
    const bytes = Buffer.from(secret, "latin1");
    const forms = [
      secret,
      bytes.toString("hex"),
      bytes.toString("base64").replace(/=+$/, ""),
      bytes.toString("base64url"),
      encodeURIComponent(secret),
      secret.split("").toReversed().join(""),
    ];
    return forms.some((form) => text.includes(form));
  });
}

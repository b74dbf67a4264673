/** Imported for the sake of importing: what the loader does once, it has then done. */
export const loaded = true;

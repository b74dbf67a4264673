import type { AnyMap } from "../manifest/any-map.ts";
import type { ManifestSource, Path, Place } from "../manifest/manifest-source.ts";

/** A manifest that was put together: parts of it stand in Python, the rest in a skill.yaml or a readme, if anywhere. */
export class DeclaredSource implements ManifestSource {
  readonly file: string;
  readonly data: Readonly<AnyMap>;
  readonly #places: ReadonlyMap<string, Place>;
  readonly #base: ManifestSource | undefined;

  constructor(parts: {
    data: Readonly<AnyMap>;
    places: ReadonlyMap<string, Place>;
    base: ManifestSource | undefined;
    file: string;
  }) {
    this.data = parts.data;
    this.#places = parts.places;
    this.#base = parts.base;
    this.file = parts.base?.file ?? parts.file;
  }

  at(path: Path, what?: "key" | "value"): Place {
    for (let length = path.length; length > 0; length--) {
      const place = this.#places.get(placeKey(path.slice(0, length)));
      if (place !== undefined) return place;
    }
    return this.#base?.at(path, what) ?? { line: 1, column: 1 };
  }

  atField(base: Path, field: string): Place {
    const path = [...base, ...field.split(/[.[\]]+/).filter((step) => step !== "")];
    const isDeclared = path.some((_, index) => this.#places.has(placeKey(path.slice(0, index + 1))));
    return isDeclared || this.#base === undefined ? this.at(path) : this.#base.atField(base, field);
  }
}

export function placeKey(path: Path): string {
  return path.join("\0");
}

import type { IStateDB } from '@jupyterlab/statedb';
import { Signal } from '@lumino/signaling';

const KEY = 'gpucluster:unfolded';
/** Clusters come and go; what was folded long ago need not be known for ever. */
const MOST = 200;

/** What is open and what is folded in the panel, as it was left: kept with the workspace. */
export class Unfolded {
  constructor(private readonly _state: Pick<IStateDB, 'fetch' | 'save'> | null) {
    void this._load();
  }

  /** Emitted when something was opened or folded, and when what was left has been read. */
  readonly changed = new Signal<this, void>(this);

  /** Whether it was opened or folded; undefined: neither. */
  left(key: string): boolean | undefined {
    return this._known.get(key);
  }

  set(key: string, isOpen: boolean): void {
    // The newest last, so that the oldest are forgotten first.
    this._known.delete(key);
    this._known.set(key, isOpen);
    this.changed.emit();
    this._save();
  }

  private _save(): void {
    const kept = [...this._known].slice(-MOST);
    this._state?.save(KEY, Object.fromEntries(kept)).catch((reason: unknown) => {
      console.warn('The panel state could not be stored.', reason);
    });
  }

  private async _load(): Promise<void> {
    try {
      const left = await this._state?.fetch(KEY);
      for (const [key, isOpen] of Object.entries(left ?? {})) {
        if (!this._known.has(key) && typeof isOpen === 'boolean') {
          this._known.set(key, isOpen);
        }
      }
    } catch (reason) {
      console.warn('The panel state could not be stored.', reason);
    }
    this.changed.emit();
  }

  private readonly _known = new Map<string, boolean>();
}

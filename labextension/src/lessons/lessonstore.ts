import { ServerConnection } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import type {
  ClassView,
  EventsNoted,
  LessonCopied,
  LessonEvents,
  LessonList,
  ProgressDeleted
} from '../protocol/messages';
import { request } from '../clusters/restapi';
import type { ILessonStore } from './tokens';

/** Asks the server for the lessons, and tells it what was answered. */
export class LessonStore implements ILessonStore {
  constructor(settings: ServerConnection.ISettings = ServerConnection.makeSettings()) {
    this._settings = settings;
  }

  list: LessonList | null = null;

  isAvailable: boolean | null = null;

  readonly changed = new Signal<this, void>(this);

  async refresh(): Promise<void> {
    const before = JSON.stringify(this.list);
    const wasAvailable = this.isAvailable;
    try {
      const list = await this._ask<LessonList>('lessons', []);
      this.isAvailable = list.lessons.length > 0;
      this.list = this.isAvailable ? list : null;
    } catch {
      // A server that is away for a moment takes nothing off the screen.
      this.isAvailable ??= false;
    }
    if (wasAvailable !== this.isAvailable || before !== JSON.stringify(this.list)) {
      this.changed.emit();
    }
  }

  async copy(): Promise<LessonCopied> {
    return this._change('written', ['copy']);
  }

  async reset(lesson: string): Promise<LessonCopied> {
    return this._change('written', [lesson, 'reset']);
  }

  async recall(lesson: string): Promise<LessonCopied> {
    return this._change('written', [lesson, 'recall']);
  }

  async report(events: LessonEvents['events']): Promise<EventsNoted | null> {
    // One after the other: the server writes them in the order in which they happened.
    const noted = this._reporting.then(() =>
      this._ask<EventsNoted>('noted', ['events'], 'POST', { events })
    );
    this._reporting = noted.catch(() => null);
    try {
      const answer = await noted;
      void this.refresh();
      return answer;
    } catch {
      return null;
    }
  }

  async forget(): Promise<void> {
    await this._change<ProgressDeleted>('deleted', ['progress'], 'DELETE');
  }

  async classView(): Promise<ClassView> {
    return this._ask('learners', ['class']);
  }

  /** Ask for something, then look what has become of the lessons. */
  private async _change<T>(
    landmark: keyof T & string,
    parts: readonly string[],
    method = 'POST'
  ): Promise<T> {
    const answer = await this._ask<T>(landmark, parts, method);
    await this.refresh();
    return answer;
  }

  private async _ask<T>(
    landmark: keyof T & string,
    parts: readonly string[],
    method = 'GET',
    body?: unknown
  ): Promise<T> {
    const init = { method, body: JSON.stringify(body) };
    return (await request<T>(this._settings, ['lessons', ...parts], init, landmark)).body;
  }

  private readonly _settings: ServerConnection.ISettings;
  private _reporting: Promise<unknown> = Promise.resolve();
}

import { ServerConnection } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import type {
  ClassView,
  EventsNoted,
  LessonCopied,
  LessonEvents,
  LessonList
} from '../protocol/messages';
import {
  copyLessons,
  copyRecall,
  deleteProgress,
  readClass,
  readLessons,
  reportEvents,
  resetLesson
} from './lessonsapi';
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
      const list = await readLessons(this._settings);
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
    return this._thenRefresh(copyLessons(this._settings));
  }

  async reset(lesson: string): Promise<LessonCopied> {
    return this._thenRefresh(resetLesson(this._settings, lesson));
  }

  async recall(lesson: string): Promise<LessonCopied> {
    return this._thenRefresh(copyRecall(this._settings, lesson));
  }

  async report(events: LessonEvents['events']): Promise<EventsNoted | null> {
    // One after the other: the server writes them in the order in which they happened.
    const noted = this._reporting.then(() => reportEvents(this._settings, events));
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
    await this._thenRefresh(deleteProgress(this._settings));
  }

  async classView(): Promise<ClassView> {
    return readClass(this._settings);
  }

  private async _thenRefresh<T>(request: Promise<T>): Promise<T> {
    const answer = await request;
    await this.refresh();
    return answer;
  }

  private readonly _settings: ServerConnection.ISettings;
  private _reporting: Promise<unknown> = Promise.resolve();
}

import { MainAreaWidget } from '@jupyterlab/apputils';
import { ReactWidget } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import { Poll } from '@lumino/polling';

import { lessonsIcon } from '../icons';
import { Fragment, h } from '../jsx';
import type { ILessonStore } from '../lessons/tokens';
import { Fault, sentenceOf } from '../panel/asking';
import type { ClassView } from '../protocol/messages';
import { ClassTables } from './classtables';
import { trans } from '../translation';

const EVERY_MS = 10_000;

/** A class as its instructor sees it, as a tab: who is where, and what fails most. */
export class ClassTab extends MainAreaWidget<ClassContent> {
  static readonly ID = 'gpucluster-class';

  constructor(options: ClassTab.IOptions) {
    super({ content: new ClassContent(options) });
    this.id = ClassTab.ID;
    this.addClass('gpc-ClassTab');
    this.toolbar.hide();
    this.title.icon = lessonsIcon;
    this.title.closable = true;
    this.title.label = trans.__('Class');
  }
}

export namespace ClassTab {
  export interface IOptions {
    store: ILessonStore;
  }
}

/** Reads the class now and then, while it is visible. */
class ClassContent extends ReactWidget {
  constructor(private readonly _options: ClassTab.IOptions) {
    super();
    this.addClass('gpc-Class');
    this._poll = new Poll({
      factory: () => this._read(),
      frequency: { interval: EVERY_MS, backoff: true, max: 60_000 },
      standby: () => document.hidden || !this.isVisible
    });
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._poll.dispose();
      super.dispose();
    }
  }

  protected override render(): JSX.Element {
    return (
      <>
        <Fault error={this._fault} />
        {this._view === null ? (
          this._fault === null && <p role="status">{trans.__('Loading…')}</p>
        ) : (
          <ClassTables view={this._view} />
        )}
      </>
    );
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    void this._poll.refresh();
  }

  private async _read(): Promise<void> {
    try {
      this._view = await this._options.store.classView();
      this._fault = null;
    } catch (error) {
      this._fault = sentenceOf(error);
    }
    if (!this.isDisposed) {
      this.update();
    }
  }

  private readonly _poll: Poll;
  private _view: ClassView | null = null;
  private _fault: string | null = null;
}

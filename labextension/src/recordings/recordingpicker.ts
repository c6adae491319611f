import type { Dialog } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';

import { element } from '../gauges/element';
import { formatPosition } from '../player/timeline';
import type { RecordingEntry } from '../protocol/messages';
import type { IRecordingPlace } from './recordingsapi';
import { trans } from '../translation';

/** The recordings that there are, each once: what it is called, how long it is, what ran, and on what. */
export class RecordingPicker extends Widget implements Dialog.IBodyWidget<IRecordingPlace | null> {
  constructor(recordings: readonly RecordingEntry[]) {
    super({ node: element('fieldset', 'gpc-RecordingPicker') });
    this._recordings = recordings;
    this.node.setAttribute('aria-label', trans.__('Recording'));
    const first = recordings.findIndex(({ message }) => message === null);
    recordings.forEach((recording, place) => {
      const { path, source, title, label, message, note, n_workers, seconds } = recording;
      const row = element('label', 'gpc-RecordingPicker-row', this.node);
      const input = element('input', '', row);
      Object.assign(input, {
        type: 'radio',
        name: 'gpucluster-recording',
        value: `${place}`,
        checked: place === first,
        disabled: message !== null
      });
      const words = element('span', '', row);
      element('b', '', words).textContent = title ?? path;
      const facts = [
        seconds === null ? '' : formatPosition(seconds),
        n_workers === null ? '' : trans._n('%1 worker', '%1 workers', n_workers),
        source === 'folder' && title !== null ? path : ''
      ];
      const lines = [facts.filter(Boolean).join(' · '), note ?? '', message ?? label ?? ''];
      for (const line of lines.filter(text => text !== '')) {
        element('span', 'gpc-RecordingPicker-line', words).textContent = line;
      }
    });
  }

  /** The chosen one; null where none can be played. */
  getValue(): IRecordingPlace | null {
    const chosen = this.node.querySelector<HTMLInputElement>('input:checked');
    const { source, path } = this._recordings[Number(chosen?.value ?? NaN)] ?? {};
    return source === undefined || path === undefined ? null : { source, path };
  }

  private readonly _recordings: readonly RecordingEntry[];
}

import type { ITranslating } from '../gauges/words';

export type IPlayerWords = ReturnType<typeof playerWords>;

/** Everything that the player says, in the language of `trans`. `{…}` is filled in by the player. */
export function playerWords(trans: ITranslating) {
  return {
    recording: trans.__('Recording: {title}'),
    play: trans.__('Play'),
    pause: trans.__('Pause'),
    again: trans.__('Play again'),
    position: trans.__('Position'),
    positionOf: trans.__('{position} of {duration}'),
    speed: trans.__('Speed'),
    workers: trans.__('Workers: {count}'),
    driver: trans.__('driver {version}'),
    unreadable: trans.__('This recording cannot be read.')
  };
}

export const englishPlayerWords: IPlayerWords = playerWords({ __: text => text });

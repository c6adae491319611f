import React from 'react';

/** What JSX is compiled to, and hooks: our names become one or two letters in a production build, hundreds of times. */
export const {
  createElement: h,
  Fragment,
  createContext,
  useCallback,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState
} = React;

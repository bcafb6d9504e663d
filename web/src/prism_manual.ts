// Read by Prism when it is loaded: it is to colour nothing by itself.
(globalThis as unknown as { Prism: object }).Prism = { manual: true, disableWorkerMessageHandler: true };
export {};

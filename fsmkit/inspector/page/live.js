/** The page of a program that serves it. */

import { startInspector } from "./main.js";
import { Server } from "./parts/socket.js";

startInspector(new Server());

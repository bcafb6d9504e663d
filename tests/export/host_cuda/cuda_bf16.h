// No 16-bit and no 8-bit types on this stand-in.
#pragma once
